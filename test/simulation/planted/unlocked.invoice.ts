/** An invoice is not locked while it is settled. */
import { findInvoice as right } from '../../../src/purchase/invoices/invoice.ts'

export const findInvoice: typeof right = (db, number) => right(db, number, 'read')
