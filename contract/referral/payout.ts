/** Payouts of referral balances: what server and pages share. */

/** The networks that a payout can be sent through. The operator offers some of them. */
export const payoutNetworks = ['usdt_trc20', 'usdt_ton', 'btc', 'ltc'] as const
export type PayoutNetwork = (typeof payoutNetworks)[number]

/** What people call them, in every language. */
export const networkNames: Readonly<Record<PayoutNetwork, string>> = {
  usdt_trc20: 'USDT (TRC-20)',
  usdt_ton: 'USDT (TON)',
  btc: 'Bitcoin',
  ltc: 'Litecoin',
}

export const payoutStates = ['requested', 'sending', 'paid', 'refused', 'cancelled'] as const
export type PayoutState = (typeof payoutStates)[number]

/** A customer has at most one payout in one of these. */
export const isOpenPayout = (state: PayoutState) => state === 'requested' || state === 'sending'
