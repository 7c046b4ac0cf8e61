import { act, read } from '../call.ts'

/** Settings that staff see and change. */
export const settingsDeskWire = {
  settings: read({ needs: 'settings.read', masked: [], file: false }),
  setting_changes: read({ needs: 'settings.read', masked: [], file: true }),
  change_setting: act({ needs: 'settings.change', stepUp: 'always', audit: 'setting' }),
  setup: read({ needs: 'settings.read', masked: [], file: false }),
  variables: read({ needs: 'settings.read', masked: [], file: false }),
  test_connection: act({ needs: 'settings.keys', stepUp: 'always', audit: 'setting' }),
  change_variables: act({ needs: 'settings.keys', stepUp: 'always', audit: 'setting' }),
}
