import { deskCall } from '../call.ts'

/** Settings that staff see and change. */
export const settingsDeskWire = {
  settings: deskCall({
    method: 'GET',
    path: '/settings',
    answer: 'json',
    needs: 'settings.read',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: null,
  }),
  setting_changes: deskCall({
    method: 'GET',
    path: '/setting_changes',
    answer: 'json',
    needs: 'settings.read',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: true,
    body: null,
  }),
  change_setting: deskCall({
    method: 'POST',
    path: '/change_setting',
    answer: 'json',
    needs: 'settings.change',
    stepUp: 'always',
    effect: 'changes',
    audit: 'setting',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
  }),
}
