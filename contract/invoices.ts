/** The most invoices that the call `invoices` answers with at once. */
export const listedInvoices = 50
/** The payment methods with a payment processor, whether configured or not. */
export const processorMethods = ['card', 'yookassa', 'cryptobot', 'crypto', 'stars', 'sandbox'] as const

/** The method of invoices paid from the referral balance. */
export const referralMethod = 'referral'
