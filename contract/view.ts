/**
 * How a member of staff sees the shop as one customer sees it, read-only. The desk makes a link, good once;
 * the shop's page at that link opens a view: its token is in a cookie that no script reads, and each request
 * of the page names the view in a header. A request with the cookie alone belongs to no account, so no other
 * page or tab can use it.
 */

/**
 * Names the view that a request belongs to. Pages of other origins cannot send it: no preflight allows it.
 */
export const viewHeader = 'x-customer-view'

export const viewPaths = { open: '/api/customer_view/open', end: '/api/customer_view/end' } as const

/**
 * The page of the shop that opens a view; the link's token is in the fragment, which browsers do not send.
 */
export const viewPage = '/see_as'

/** The answer to `open`, which takes `{ token }`. */
export interface OpenedView {
  id: string
  /** The member of staff. */
  staff: string
  /** RFC 3339. */
  ends_at: string
}

/** Stands for a secret where the answer has a place for it; no character of it is escaped in a URL. */
export const hiddenSecret = '.'.repeat(16)
