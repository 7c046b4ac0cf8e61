/** The most invoices that the call `invoices` answers with, and that the account lists. */
export const listedInvoices = 50
