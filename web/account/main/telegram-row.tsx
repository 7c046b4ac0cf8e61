import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import type { Session } from '../../state/session.ts'
import { useSite } from '../../state/site.ts'
import { useView } from '../../state/view.ts'
import { ReadFailed } from '../read-failed.tsx'
import { telegramLinkUrl } from './telegram-link.ts'
import styles from './profile-card.module.css'

const ProveToLink = lazyPart(
  async () => (await import('./prove-to-link.tsx')).ProveToLink,
  'factors',
  'security',
)

/** Whether a Telegram account is linked, or the link to do so. Left out where the shop has no bot. */
export function TelegramRow({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const bot = useSite()?.telegram_bot ?? null
  // The profile has a code only for an owner who was proved recently.
  const security = useQuery({ ...query('security', {}), enabled: user.tgcode === null, staleTime: 0 })
  // An answer from before the code disappeared does not know that it was used.
  const isLinked = security.isFetching ? undefined : security.data?.telegram_linked
  if (bot === null) return null
  const address = telegramLinkUrl(bot, user.tgcode)
  return (
    <div className={styles.fact}>
      <dt>Telegram</dt>
      <dd>
        {address === null ? (
          security.isError && security.data === undefined ? (
            <ReadFailed
              named
              what="Telegram"
              pending={security.isFetching}
              onRetry={() => void security.refetch()}
            />
          ) : isLinked === false ? (
            <Suspense fallback={null}>
              <ProveToLink />
            </Suspense>
          ) : (
            isLinked === true && t('telegramConnected')
          )
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
