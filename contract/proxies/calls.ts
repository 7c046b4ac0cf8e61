import { call, change } from '../call.ts'
import { operators } from '../acting/roles.ts'
import { maxLines } from '../proxy-lines.ts'

/** The number of lines made and sent in the time of one light call. */
const linesPerToken = 500

/** Proxy lines and passwords. */
export const proxiesWire = {
  get_proxy: call({
    method: 'POST',
    path: '/rpc/get_proxy',
    answer: 'text',
    who: 'customer',
    token: true,
    members: operators,
    effect: 'reads',
    cost: { tokens: 1, rows: { field: 'quantity', perToken: linesPerToken, most: maxLines } },
    queue: { name: 'lines', fromRows: linesPerToken },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  reset_password: change({
    path: '/rpc/reset_password',
    token: true,
    members: operators,
    cost: { tokens: 5 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
  end_connections: change({
    path: '/rpc/end_connections',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}

/** A trial of a line. */
export const trialWire = {
  try_line: change({
    path: '/rpc/try_line',
    token: true,
    members: operators,
    cost: { tokens: 20 },
    proof: 'none',
    logs: false,
    letter: 'never',
    once: 'until it answers',
  }),
}
