import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../../../state/i18n.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog } from '../../../../ui/dialog.tsx'
import { ActDialog } from '../../../parts/act-dialog.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Moment } from '../../../parts/moment.tsx'
import { query } from '../../../state/api.ts'
import { useMay } from '../../../state/session.ts'
import { useAct } from '../../../state/use-act.ts'
import { PlainTable } from '../../../table/plain-table.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { useAccountColumns } from './account-columns.tsx'
import { BillDialog } from './bill-dialog.tsx'
import type { Account, OpenedAccount } from './opened.ts'
import { PlacesDialog } from './places-dialog.tsx'
import { RawText } from '../../../parts/raw-text.tsx'
import styles from './accounts.module.css'

const freshMs = 60_000

/** The operator's accounts at sellers: the remaining traffic, its duration, bills and places. */
export function Accounts() {
  const { t } = useTranslation('deskSellers')
  const may = useMay()
  const accounts = useQuery({ ...query('seller_accounts', {}), refetchInterval: freshMs })
  const [open, setOpen] = useState<OpenedAccount | null>(null)
  const [isAdding, setAdding] = useState(false)
  const columns = useAccountColumns(setOpen)
  const close = () => setOpen(null)
  const chosen = accounts.data?.find(({ id }) => id === open?.id)
  return (
    <>
      {may('add_seller_account') && (
        <div>
          <Button onClick={() => setAdding(true)}>{t('sellers.add')}</Button>
        </div>
      )}
      <Loaded query={accounts}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={styles.note}>{t('sellers.none')}</p>
          ) : (
            <>
              <PlainTable
                table="seller_accounts"
                label={t('sellers.tab.accounts')}
                columns={columns}
                rows={rows}
                rowId={({ id }) => id}
              />
              {rows.some(({ readings }) => readings.some(({ due_at: due }) => due === null)) && (
                <p className={styles.note}>{t('sellers.stoppedHint')}</p>
              )}
            </>
          )
        }
      </Loaded>
      {isAdding && <AccountDialog account={null} onClose={() => setAdding(false)} />}
      {chosen !== undefined && open?.dialog === 'set' && (
        <AccountDialog
          account={chosen}
          onClose={close}
          onOpen={(dialog) => setOpen({ id: chosen.id, dialog })}
        />
      )}
      {chosen !== undefined && open?.dialog === 'bill' && <BillDialog account={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'places' && <PlacesDialog account={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'answers' && <Answers account={chosen} onClose={close} />}
      {chosen !== undefined && open?.dialog === 'remove' && <RemoveDialog account={chosen} onClose={close} />}
    </>
  )
}

/** The seller's raw answer. */
function Answers({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation(['deskSellers', 'desk'])
  const answers = useQuery(query('seller_answers', { id: account.id }))
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={`${t('sellers.answers')}: ${account.label}`}
      description={t('sellers.answersText')}
      closeLabel={t('desk:close')}
    >
      <Loaded query={answers}>
        {(rows) =>
          rows.length === 0 ? (
            <p>{t('sellers.answersNone')}</p>
          ) : (
            <ul className={styles.answers}>
              {rows.map(({ part, day, at, body }) => (
                <li key={`${day}-${part}`}>
                  <h3>
                    <span>{`${t(`sellers.part.${part}`)},`}</span> <Moment iso={at} exact />
                  </h3>
                  <RawText text={body} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function RemoveDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { t } = useTranslation('deskSellers')
  const { pending, fault, run } = useAct('remove_seller_account', onClose)
  return (
    <ActDialog
      title={t('sellers.removeTitle', { name: account.label })}
      description={t('sellers.removeText')}
      submit={t('sellers.removeAct')}
      isDanger
      pending={pending}
      fault={fault}
      onClose={onClose}
      onSubmit={(reason) => run({ id: account.id, reason })}
    />
  )
}
