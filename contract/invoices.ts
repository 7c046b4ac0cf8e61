/** The most invoices that the call `invoices` answers with, and that the account lists. */
export const listedInvoices = 50
/** The payment methods with a payment processor, whether configured or not. */
export const processorMethods = ['card', 'yookassa', 'cryptobot', 'crypto', 'sandbox'] as const

/** The methods whose payment page takes the rest of an invoice that was paid in part, until the invoice expires. */
export const methodsThatTakeTheRest: readonly string[] = ['crypto', 'sandbox']

/** The method of invoices paid from the referral balance. */
export const referralMethod = 'referral'
