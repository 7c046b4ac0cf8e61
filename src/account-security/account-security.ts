/**
 * The security of a customer's account: second factors, sessions, what only the recently proved owner may do.
 */
export { resetFactors } from './own.ts'
