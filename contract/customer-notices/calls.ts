import { change, read } from '../call.ts'
import { admins, teamRoles } from '../acting/roles.ts'

/** Notices to customers. */
export const noticesWire = {
  get_notices: read({
    path: '/rpc/get_notices',
    who: 'customer',
    token: true,
    members: teamRoles,
    cost: { tokens: 1 },
  }),
  set_notices: change({
    path: '/rpc/set_notices',
    token: true,
    members: admins,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
