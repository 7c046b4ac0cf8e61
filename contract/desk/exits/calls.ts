import { act, read, readByPost } from '../call.ts'

/** Exits: their figures, costs, stocks and tests. */
export const exitsDeskWire = {
  exits: read({ needs: 'exits.read', masked: [], file: false }),
  exit_health: read({ needs: 'exits.health', masked: [], file: false }),
  gateway_health: read({ needs: 'exits.health', masked: [], file: false }),
  set_exit: act({ needs: 'exits.change', stepUp: 'never', audit: 'exit' }),
  exit_figures: read({ needs: 'exits.read', masked: [], file: false }),
  exit_costs: read({ needs: 'exits.read', masked: [], file: true }),
  set_exit_cost: act({ needs: 'exits.change', stepUp: 'never', audit: 'exit' }),
  exit_stocks: read({ needs: 'exits.read', masked: [], file: false }),
  set_exit_stock: act({ needs: 'exits.change', stepUp: 'never', audit: 'exit' }),
  exit_presets: read({ needs: 'exits.read', masked: [], file: false }),
  add_exit: act({ needs: 'exits.change', stepUp: 'always', audit: 'exit' }),
  remove_exit: act({ needs: 'exits.change', stepUp: 'never', audit: 'exit' }),
  test_exit: readByPost({ needs: 'exits.change', stepUp: 'never' }),
  test_new_exit: readByPost({ needs: 'exits.change', stepUp: 'always' }),
}
