import { act, actOnce, deskCall, read } from '../call.ts'

/** Invoices and their documents. */
export const invoicesDeskWire = {
  invoices: read({ needs: 'invoices.read', masked: ['email'], file: true }),
  invoice_sums: read({ needs: 'invoices.read', masked: [], file: false }),
  invoice: read({ needs: 'invoices.read', masked: ['email', 'reason'], file: false }),
  invoice_document: deskCall({
    method: 'GET',
    answer: 'blob',
    needs: 'invoices.documents',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: null,
    queue: null,
  }),
  dispute_evidence: deskCall({
    method: 'POST',
    answer: 'blob',
    needs: 'invoices.evidence',
    stepUp: 'never',
    effect: 'changes',
    audit: 'invoice',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
    queue: null,
  }),
  ask_processor: act({ needs: 'payments.ask', stepUp: 'never', audit: 'invoice' }),
  test_purchase: actOnce({ needs: 'payments.test', stepUp: 'never', audit: 'invoice' }),
  replay_payment_event: act({ needs: 'payments.ask', stepUp: 'never', audit: 'invoice' }),
}
