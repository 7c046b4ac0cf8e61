/** The acts that can be undone. Bundled for the browser, which offers it after such an act. */
export const undoableActs = [
  'block_customer',
  'unblock_customer',
  'set_tags',
  'set_customer_limits',
  'set_api_pace',
  'assign_price_list',
  'set_exit',
  'drain_gateway',
  'undrain_gateway',
  'change_prices',
  'set_display_currency',
  'change_promo_code',
  'set_referral_share',
  'change_setting',
  'set_staff_role',
  'block_staff',
  'unblock_staff',
] as const
export type UndoableAct = (typeof undoableActs)[number]

export const isUndoableAct = (action: string): action is UndoableAct =>
  (undoableActs as readonly string[]).includes(action)
