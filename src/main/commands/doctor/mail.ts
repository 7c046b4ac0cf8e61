/** Checks whether letters can be sent. */
import { isLocalHost, type Settings } from '../../settings/settings.ts'
import { type Check, checkOf } from './check.ts'

/** Connects to the mail server, logs in and names the sender; no letter is sent. */
export async function mailCheck({ mail, publicUrl }: Pick<Settings, 'mail' | 'publicUrl'>): Promise<Check> {
  const check = checkOf('mail')
  if (mail.smtp === null)
    return isLocalHost(publicUrl.hostname)
      ? check('ok', 'Letters are files in DATA_DIR/outbox.')
      : check(
          'warning',
          'Letters are only files in DATA_DIR/outbox: nobody gets them. Set SMTP_URL and MAIL_FROM.',
        )
  // Imported here, so that no other command loads the SMTP client.
  const { askServer } = await import('#mail/jobs')
  const refusal = await askServer(mail.smtp)
  const where = `${mail.smtp.host}:${mail.smtp.port}`
  return refusal === null
    ? check('ok', `${where} takes letters.`)
    : check('trouble', `${where} takes no letters: ${refusal}. Check SMTP_URL.`)
}
