/** The jobs that send letters, for the worker only: they load React and an SMTP client. */
export { mailJobs } from './deliver.ts'
export { sendTestLetter } from './test.letter.ts'
export { askServer, type LetterFile, type MailTransport, mailTransport } from './transport.ts'
