// SPDX-License-Identifier: GPL-2.0-only
/*
 * What policies and mechanisms of other modules may call.
 */
#include <linux/export.h>

#include "vgpu_policy.h"
#include "vgpu_policy_services.h"

#define EXPORT(name) EXPORT_SYMBOL_GPL(name);
VGPU_POLICY_SERVICES(EXPORT)
