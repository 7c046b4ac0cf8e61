import { act, actOnce, read, readByPost } from '../call.ts'

/** Refunds by the shop, and money that processors return on their own. */
export const refundsDeskWire = {
  preview_refund: readByPost({ needs: 'invoices.refund', stepUp: 'never' }),
  refund_invoice: actOnce({ needs: 'invoices.refund', stepUp: 'by money a day', audit: 'invoice' }),
  send_refund: act({ needs: 'invoices.refund', stepUp: 'by money a day', audit: 'invoice' }),
  drop_refund: act({ needs: 'invoices.refund', stepUp: 'never', audit: 'invoice' }),
  settle_return: act({ needs: 'invoices.refund', stepUp: 'by money a day', audit: 'invoice' }),
  payment_refunds: read({ needs: 'payments.read', masked: [], file: true }),
}
