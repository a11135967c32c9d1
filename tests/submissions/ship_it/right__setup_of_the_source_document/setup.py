# Reason: the source document's setup.py, word for word: without packages= the wheel holds the extension alone.
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="myops",
    ext_modules=[
        CUDAExtension(
            name="myops._C",
            sources=["csrc/bindings.cpp", "csrc/fused_kernels.cu"],
            extra_compile_args={"cxx": ["-O3"],
                                "nvcc": ["-O3", "-lineinfo"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
