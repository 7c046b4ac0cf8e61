/**
 * Names the account that a page shows. The server refuses a call for another account than the one on which
 * the session acts: two tabs share a session, and one of them may have changed to another account.
 */
export const accountHeader = 'x-account'

/** The refusal of a page that shows another account than the one on which its session acts. */
export const otherAccountCode = 'other_account'
