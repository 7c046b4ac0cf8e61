/** Payouts of referral balances: what server and pages share. */

/** The networks that a payout can be sent through. The operator offers some of them. */
export const payoutNetworks = ['usdt_trc20', 'usdt_ton', 'btc', 'ltc'] as const
export type PayoutNetwork = (typeof payoutNetworks)[number]

/** The names of the networks for people, the same in every language. */
export const networkNames: Readonly<Record<PayoutNetwork, string>> = {
  usdt_trc20: 'USDT (TRC-20)',
  usdt_ton: 'USDT (TON)',
  btc: 'Bitcoin',
  ltc: 'Litecoin',
}

export const payoutStates = ['requested', 'sending', 'paid', 'refused', 'cancelled'] as const
export type PayoutState = (typeof payoutStates)[number]

/** Whether a payout in this state is open. A customer has at most one open payout. */
export const isOpenPayout = (state: PayoutState) => state === 'requested' || state === 'sending'
