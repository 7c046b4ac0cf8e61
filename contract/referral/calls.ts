import { call, change, read, readByPost } from '../call.ts'
import { booksReaders } from '../acting/roles.ts'

/** The referral programme. */
export const referralWire = {
  legacy_referal_info: read({
    path: '/legacy_referal_info',
    who: 'customer',
    token: true,
    members: booksReaders,
    cost: { tokens: 1 },
  }),
  referral_earnings: readByPost({
    path: '/rpc/referral_earnings',
    who: 'customer',
    token: true,
    members: booksReaders,
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
    members: 'owner',
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
    members: 'owner',
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
    members: 'owner',
    cost: { tokens: 1 },
    proof: 'none',
    logs: true,
    letter: 'never',
  }),
}
