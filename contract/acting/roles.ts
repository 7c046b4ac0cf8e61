/** The roles of a team: what a member may do on the account of another customer. */
export const teamRoles = ['admin', 'billing', 'proxies', 'viewer'] as const
export type TeamRole = (typeof teamRoles)[number]

/**
 * Who of a team may make a call on the team's account. `owner`: the account itself and no member. `self`: any
 * member, about their own account, whichever account their session acts on. `public`: the call is about no
 * account. A list: the owner and members with one of these roles.
 */
export type Members = 'owner' | 'self' | 'public' | readonly TeamRole[]

/** The lists of roles that calls declare. */
export const admins = ['admin'] as const
/** Orders, invoices, transfers. */
export const buyers = ['admin', 'billing'] as const
/** Those who see orders, invoices and statements. */
export const booksReaders = ['admin', 'billing', 'viewer'] as const
/** Proxy lines, proxy users, addresses and limits. */
export const operators = ['admin', 'proxies'] as const
/** Those who see proxy users, addresses and requests. */
export const operationReaders = ['admin', 'proxies', 'viewer'] as const

/** Whether the holder of a role sees passwords of proxies and links that hold them. */
export const seesProxySecrets = (role: TeamRole): boolean => (operators as readonly TeamRole[]).includes(role)

/** Whether the holder of a role sees the address at which an invoice is paid. */
export const seesPayment = (role: TeamRole): boolean => (buyers as readonly TeamRole[]).includes(role)

/** The most members and open invitations of a team together. */
export const mostInTeam = 20
/** The days in which an invitation may be accepted. */
export const invitationDays = 7
/** The most letters with invitations that a team sends in a day. */
export const invitationsPerDay = 20
