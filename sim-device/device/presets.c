// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Presets by their names: the tables of papers and cards as data (presets.h). */
#include "presets.h"
#include "../sim/text.h"

static const struct vgpu_config *const presets[] = {
	&vgpu_preset_k20c, &vgpu_preset_tanasic_ch6, &vgpu_preset_gtx980, &vgpu_preset_v100,
	&vgpu_preset_a100, &vgpu_preset_h100, &vgpu_preset_etc, &vgpu_preset_rcc,
};

int vgpu_config_preset(struct vgpu_config *config, const char *name)
{
	unsigned int i;

	for (i = 0; i < VGPU_ARRAY_SIZE(presets); i++) {
		if (vgpu_text_is(name, presets[i]->name)) {
			*config = *presets[i];
			return 0;
		}
	}
	return -ENOENT;
}

const char *vgpu_config_preset_name(unsigned int index)
{
	return index < VGPU_ARRAY_SIZE(presets) ? presets[index]->name : NULL;
}
