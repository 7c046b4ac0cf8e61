import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { useSession } from '../../state/session.ts'
import { useMay } from '../../state/team/team.ts'
import { toast } from '../../state/toast.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { knownPools } from '../profile.ts'
import { toastFailure } from '../toast-failure.ts'

/** Ends the open connections of the account's own login in a pool. */
export function EndOwn() {
  const { t } = useTranslation(['requests', 'header'])
  const user = useSession()
  const pools = user === null ? [] : knownPools(user)
  const mayEnd = useMay('end_connections')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<Pool | null>(null)
  const pool = chosen ?? pools[0]
  const end = useMutation({
    mutationFn: (of: Pool) => call('end_connections', { pool: of }),
    onSuccess() {
      setOpen(false)
      toast.success(t('endOwn.done'))
    },
    onError: (error) => toastFailure(error, t('failed')),
  })
  if (pool === undefined || !mayEnd) return null
  const close = () => setOpen(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t('endOwn.open')}
      </Button>
      {isOpen && (
        <Dialog
          open
          compact
          onClose={close}
          title={t('endOwn.title')}
          description={t('endOwn.text')}
          closeLabel={t('endOwn.cancel')}
          footer={
            <>
              <Button onClick={close}>{t('endOwn.cancel')}</Button>
              <Button variant="primary" pending={end.isPending} onClick={() => end.mutate(pool)}>
                {t('endOwn.open')}
              </Button>
            </>
          }
        >
          <SelectField
            label={t('endOwn.pool')}
            value={pool}
            options={pools.map((each) => ({ value: each, label: t(`header:pools.${each}`) }))}
            onChange={setChosen}
          />
        </Dialog>
      )}
    </>
  )
}
