import { useTranslation } from '../../app/i18n.ts'
import type { Session } from '../../app/session.ts'
import { useSite } from '../../app/site.ts'
import { connectAddress } from './connect-address.ts'
import styles from './profile-card.module.css'

/** The account's Telegram: connected, or the way to connect it. Nothing where the shop has no bot. */
export function TelegramFact({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const bot = useSite()?.telegram_bot ?? null
  if (bot === null) return null
  const address = connectAddress(bot, user.tgcode)
  return (
    <div className={styles.fact}>
      <dt>Telegram</dt>
      <dd>
        {address === null ? (
          t('telegramConnected')
        ) : (
          <a href={address} target="_blank" rel="noreferrer">
            {t('telegramConnect')}
          </a>
        )}
      </dd>
    </div>
  )
}
