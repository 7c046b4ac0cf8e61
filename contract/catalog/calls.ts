import { read, readByPost } from '../call.ts'
import { teamRoles } from '../acting/roles.ts'

/** Prices of traffic. */
export const catalogWire = {
  prices: read({ path: '/rpc/prices', who: 'either', token: true, members: teamRoles, cost: { tokens: 1 } }),
  calculate: readByPost({
    path: '/rpc/calculate',
    who: 'either',
    token: true,
    members: teamRoles,
    cost: { tokens: 1 },
  }),
}
