import { change, read } from '../call.ts'
import { operators } from '../acting/roles.ts'

/** Stored settings of the generator, and their secret links. */
export const presetsWire = {
  get_presets: read({
    path: '/rpc/get_presets',
    who: 'customer',
    token: true,
    members: operators,
    cost: { tokens: 1 },
  }),
  save_preset: change({
    path: '/rpc/save_preset',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  change_preset: change({
    path: '/rpc/change_preset',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  delete_preset: change({
    path: '/rpc/delete_preset',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  renew_preset_link: change({
    path: '/rpc/renew_preset_link',
    token: false,
    members: operators,
    cost: { tokens: 5 },
    proof: 'always',
    logs: true,
    letter: 'always',
  }),
  revoke_preset_link: change({
    path: '/rpc/revoke_preset_link',
    token: true,
    members: operators,
    cost: { tokens: 2 },
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
}
