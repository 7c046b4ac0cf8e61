import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { query, queryClient } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { lazyPart } from '../../state/loading/code.ts'
import type { Session } from '../../state/session.ts'
import { useSite } from '../../state/site.ts'
import { useView } from '../../state/view.ts'
import { requestProof, useIsProofOpen } from '../proof/proof.ts'
import { telegramLinkUrl } from './telegram-link.ts'
import styles from './profile-card.module.css'

const ProofDialog = lazyPart(async () => (await import('../proof/proof-dialog.tsx')).ProofDialog)

/** Whether a Telegram account is linked, or the link to do so. Left out where the shop has no bot. */
export function TelegramRow({ user }: { user: Session }) {
  const { t } = useTranslation('userBtns')
  const isView = useView() !== null
  const bot = useSite()?.telegram_bot ?? null
  // With second factors the profile has a code only for an owner who was proved recently.
  const security = useQuery({ ...query('security', {}), enabled: user.tgcode === null })
  const isHidden = user.tgcode === null && security.data?.telegram_linked === false
  if (bot === null) return null
  const address = telegramLinkUrl(bot, user.tgcode)
  return (
    <div className={styles.fact}>
      <dt>Telegram</dt>
      <dd>
        {isHidden ? (
          <ProveToLink />
        ) : address === null ? (
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

/** Proves the owner; the profile then has the code of the link. */
function ProveToLink() {
  const { t } = useTranslation('security')
  const isOpen = useIsProofOpen()
  const prove = async () => {
    if (await requestProof()) await queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
  }
  return (
    <>
      <button type="button" className={styles.change} onClick={() => void prove()}>
        {t('telegram.prove')}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ProofDialog />
        </Suspense>
      )}
    </>
  )
}
