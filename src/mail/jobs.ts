/** The sending half of the mail, for the worker alone: it brings React and an SMTP client along. */
export { mailJobs } from './deliver.ts'
export { askServer, type MailTransport, mailTransport } from './transport.ts'
