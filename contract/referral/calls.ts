import { call, change, read, readByPost } from '../call.ts'

/** The referral programme. */
export const referralWire = {
  legacy_referal_info: read({
    path: '/legacy_referal_info',
    who: 'customer',
    token: true,
    cost: { tokens: 1 },
  }),
  referral_earnings: readByPost({
    path: '/rpc/referral_earnings',
    who: 'customer',
    token: true,
    cost: { tokens: 1 },
  }),
}

/** Payouts of the referral balance. */
export const payoutsWire = {
  get_payouts: call({
    method: 'GET',
    path: '/rpc/get_payouts',
    answer: 'json',
    who: 'customer',
    token: false,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
  request_payout: call({
    method: 'POST',
    path: '/rpc/request_payout',
    answer: 'json',
    who: 'customer',
    token: false,
    effect: 'changes once',
    cost: { tokens: 1 },
    queue: null,
    proof: 'always',
    logs: true,
    letter: 'always',
  }),
  cancel_payout: change({
    path: '/rpc/cancel_payout',
    token: false,
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
}
