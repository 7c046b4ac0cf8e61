import { call, readByPost } from '../call.ts'
import { teamRoles } from '../acting/roles.ts'

/** The overview and the chart of usage. */
export const statsWire = {
  get_overview: call({
    method: 'GET',
    path: '/rpc/get_overview',
    answer: 'json',
    who: 'customer',
    token: true,
    members: teamRoles,
    effect: 'reads',
    cost: { tokens: 3 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  get_last_hour: call({
    method: 'POST',
    path: '/rpc/get_last_hour',
    answer: 'json',
    who: 'customer',
    token: true,
    members: teamRoles,
    effect: 'reads',
    cost: { tokens: 2 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  get_activity: call({
    method: 'GET',
    path: '/rpc/get_activity',
    answer: 'json',
    who: 'customer',
    token: true,
    members: teamRoles,
    effect: 'reads',
    cost: { tokens: 2 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  legacy_get_statistic: call({
    method: 'GET',
    path: '/rpc/legacy_get_statistic',
    answer: 'json',
    who: 'customer',
    token: true,
    members: teamRoles,
    effect: 'reads',
    cost: { tokens: 2 },
    queue: 'statistics',
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}

/** Usage by its parts. */
export const usageWire = {
  get_usage: readByPost({
    path: '/rpc/get_usage',
    who: 'customer',
    token: true,
    members: teamRoles,
    cost: { tokens: 1 },
  }),
}
