// Nothing: the unit's first include declared it.
#pragma once
