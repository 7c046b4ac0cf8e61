import { act, read } from '../call.ts'

/** Notifications and refunds of processors, disputes, fiscal receipts, payouts. */
export const paymentsDeskWire = {
  payment_events: read({ needs: 'payments.read', masked: [], file: true }),
  receipts: read({ needs: 'payments.read', masked: ['email'], file: true }),
  register_receipt: act({ needs: 'receipts.register', stepUp: 'by money a day', audit: 'invoice' }),
  payouts: read({ needs: 'payments.read', masked: ['reason'], file: true }),
  take_payout: act({ needs: 'payouts.send', stepUp: 'by money a day', audit: 'customer' }),
  pay_payout: act({ needs: 'payouts.send', stepUp: 'by money a day', audit: 'customer' }),
  refuse_payout: act({ needs: 'payouts.send', stepUp: 'never', audit: 'customer' }),
  disputes: read({ needs: 'payments.read', masked: [], file: true }),
  processors: read({ needs: 'payments.read', masked: [], file: false }),
  set_fee_terms: act({ needs: 'prices.change', stepUp: 'never', audit: 'rate' }),
  payment_event: read({ needs: 'payments.read', masked: ['ip', 'headers', 'body'], file: false }),
}
