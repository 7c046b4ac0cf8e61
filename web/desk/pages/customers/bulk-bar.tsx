import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { useMay } from '../../state/session.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import styles from './customers.module.css'

/** What can be done to the chosen customers together. */
export function BulkBar({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const { t } = useTranslation('deskPages')
  const may = useMay()
  const [act, setAct] = useState<'block' | 'tag' | null>(null)
  return (
    <div className={styles.bulk} role="region" aria-label={t('bulk.chosen', { count: ids.length })}>
      <span aria-live="polite">{t('bulk.chosen', { count: ids.length })}</span>
      {may('set_tags') && (
        <Button size="small" onClick={() => setAct('tag')}>
          {t('bulk.tag')}
        </Button>
      )}
      {may('block_customer') && (
        <Button size="small" onClick={() => setAct('block')}>
          {t('bulk.block')}
        </Button>
      )}
      <Button size="small" variant="ghost" onClick={onDone}>
        {t('bulk.none')}
      </Button>
      {act !== null && <BulkDialog act={act} ids={ids} onClose={() => setAct(null)} />}
    </div>
  )
}
