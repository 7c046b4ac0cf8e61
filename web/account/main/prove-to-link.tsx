import { queryClient } from '../../state/reads/queries.ts'
import { useTranslation } from '../../state/i18n.ts'
import { requestProof, useIsProofOpen } from '../proof/proof.ts'
import { ProofDialog } from '../proof/proof-dialog.tsx'
import styles from './profile-card.module.css'

/** Proves the owner; the profile then has the code of the link. */
export function ProveToLink() {
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
      {isOpen && <ProofDialog />}
    </>
  )
}
