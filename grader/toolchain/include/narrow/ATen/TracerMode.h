// Stands before PyTorch's header, which every ATen/ops/*.h includes and hardly any needs.
#pragma once
