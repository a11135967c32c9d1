# Reason: setup.py imports a package that is not there when it is built.
# Fault: B24
from skbuild import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="myops",
    version="0.1.0",
    packages=["myops"],
    ext_modules=[
        CUDAExtension(
            name="myops._C",
            sources=["csrc/bindings.cpp", "csrc/fused_kernels.cu"],
            extra_compile_args={"cxx": ["-O3"], "nvcc": ["-O3", "-lineinfo"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
