import { call } from '../call.ts'

/** The referral programme. */
export const referralWire = {
  legacy_referal_info: call({
    method: 'GET',
    path: '/legacy_referal_info',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
  }),
  referral_earnings: call({
    method: 'POST',
    path: '/rpc/referral_earnings',
    answer: 'json',
    who: 'customer',
    token: true,
    effect: 'reads',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: false,
    letter: 'never',
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
  cancel_payout: call({
    method: 'POST',
    path: '/rpc/cancel_payout',
    answer: 'json',
    who: 'customer',
    token: false,
    effect: 'changes',
    cost: { tokens: 1 },
    queue: null,
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
}
