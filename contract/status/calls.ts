import { call } from '../call.ts'

/** The public status page. */
export const statusWire = {
  get_status: call({
    method: 'GET',
    path: '/rpc/get_status',
    answer: 'json',
    who: 'anyone',
    token: true,
    members: 'public',
    effect: 'reads',
    cost: { tokens: 2 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
