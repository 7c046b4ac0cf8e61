/** The values that lists are filtered and sorted by; apart from the schemas, so that pages load no schema library. */
export const customerSorts = ['newest', 'oldest', 'spent', 'last_seen', 'balance'] as const
export const invoiceStates = ['pending', 'paid', 'underpaid', 'expired', 'cancelled', 'refunded'] as const
