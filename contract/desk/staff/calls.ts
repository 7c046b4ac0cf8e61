import { act, read } from '../call.ts'

/** The people behind the shop, and the audit trail. */
export const staffDeskWire = {
  staff: read({ needs: 'staff.read', masked: [], file: false }),
  invite_staff: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  set_staff_role: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  reset_staff: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  block_staff: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  unblock_staff: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  end_staff_sessions: act({ needs: 'staff.manage', stepUp: 'always', audit: 'staff' }),
  audit: read({ needs: 'audit.read', masked: ['reason', 'ip'], file: true }),
}
