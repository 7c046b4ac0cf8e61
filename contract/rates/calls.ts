import { change, read } from '../call.ts'
import { teamRoles, buyers } from '../acting/roles.ts'

/** The currency in which prices are shown. */
export const ratesWire = {
  display_currency: read({
    path: '/rpc/display_currency',
    who: 'customer',
    token: true,
    members: teamRoles,
    cost: { tokens: 1 },
  }),
  set_display_currency: change({
    path: '/rpc/set_display_currency',
    token: true,
    members: buyers,
    cost: { tokens: 1 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
