import { useMutation } from '@tanstack/react-query'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { downloadBlob } from '../../../ui/download-text.ts'
import { Fault } from '../../parts/loaded.tsx'
import styles from './invoice.module.css'
import { call } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'

/** Creates the evidence for the processor: the buyer, the delivered traffic, and the addresses of its use. */
export function Evidence({ number }: { number: string }) {
  const { t } = useTranslation('deskPages')
  const may = useMay()('dispute_evidence')
  const load = useMutation({
    mutationFn: async () =>
      downloadBlob(`evidence-${number}.pdf`, await call('dispute_evidence', { number })),
  })
  if (!may) return null
  return (
    <div className={styles.evidence}>
      {load.error !== null && <Fault text={load.error.message} />}
      <Button size="small" pending={load.isPending} onClick={() => load.mutate()}>
        {t('invoice.disputes.evidence')}
      </Button>
    </div>
  )
}
