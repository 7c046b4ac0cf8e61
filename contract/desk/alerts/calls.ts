import { act, read } from '../call.ts'

/** Alerts to staff: who gets which, and how. */
export const alertsDeskWire = {
  my_alerts: read({ needs: 'member', masked: [], file: false }),
  set_my_alerts: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  confirm_alert_address: act({ needs: 'member', stepUp: 'never', audit: 'staff' }),
  alert_settings: read({ needs: 'settings.read', masked: [], file: false }),
  set_alert_settings: act({ needs: 'settings.change', stepUp: 'always', audit: 'alerts' }),
  make_alert_code: act({ needs: 'settings.change', stepUp: 'always', audit: 'alerts' }),
  unlink_alert_group: act({ needs: 'settings.change', stepUp: 'always', audit: 'alerts' }),
  test_alert: act({ needs: 'settings.change', stepUp: 'never', audit: 'alerts' }),
}
