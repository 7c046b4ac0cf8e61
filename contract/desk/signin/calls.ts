import { act, read, readByPost } from '../call.ts'

/** Signing in, and the member's own factors and sessions. */
export const signinDeskWire = {
  session: read({ needs: 'anyone', masked: [], file: false }),
  sign_in: act({ needs: 'anyone', stepUp: 'never', audit: 'staff' }),
  sign_out: act({ needs: 'begun', stepUp: 'never', audit: 'staff' }),
  passkey_challenge: readByPost({ needs: 'begun', stepUp: 'never' }),
  confirm_totp: act({ needs: 'begun', stepUp: 'never', audit: 'staff' }),
  confirm_recovery_code: act({ needs: 'begun', stepUp: 'never', audit: 'staff' }),
  confirm_passkey: act({ needs: 'begun', stepUp: 'never', audit: 'staff' }),
  confirm_password: act({ needs: 'member', stepUp: 'never', audit: 'staff' }),
  join_begin: readByPost({ needs: 'anyone', stepUp: 'never' }),
  join_finish: act({ needs: 'anyone', stepUp: 'never', audit: 'staff' }),
  my_sessions: read({ needs: 'member', masked: ['ip', 'user_agent'], file: false }),
  end_my_session: act({ needs: 'member', stepUp: 'never', audit: 'staff' }),
  my_factors: read({ needs: 'member', masked: [], file: false }),
  change_my_password: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  totp_begin: readByPost({ needs: 'member', stepUp: 'never' }),
  totp_finish: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  remove_totp: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  passkey_begin: readByPost({ needs: 'member', stepUp: 'never' }),
  passkey_finish: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  remove_passkey: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
  new_recovery_codes: act({ needs: 'member', stepUp: 'always', audit: 'staff' }),
}
