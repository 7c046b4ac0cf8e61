import { useTranslation } from '../../state/i18n.ts'
import type { Session } from '../../state/session.ts'
import { useSite } from '../../state/site.ts'
import { useView } from '../../state/view.ts'
import { telegramLinkUrl } from './telegram-link.ts'
import styles from './profile-card.module.css'

/** Whether a Telegram account is linked, or the link to do so. Left out where the shop has no bot. */
export function TelegramRow({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const bot = useSite()?.telegram_bot ?? null
  if (bot === null) return null
  const address = telegramLinkUrl(bot, user.tgcode)
  return (
    <div className={styles.fact}>
      <dt>Telegram</dt>
      <dd>
        {address === null ? (
          t('telegramConnected')
        ) : isView ? (
          t('telegramConnect')
        ) : (
          <a href={address} target="_blank" rel="noreferrer">
            {t('telegramConnect')}
          </a>
        )}
      </dd>
    </div>
  )
}
