import { useToldRead } from '../state/told-read.ts'
import Bookmark from 'lucide-react/icons/bookmark'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'react-router'
import { useTranslation } from '../../state/i18n.ts'
import { TextField } from '../../ui/fields/text-field.tsx'
import { ActDialog } from '../parts/act-dialog.tsx'
import { Menu } from '../parts/menu.tsx'
import { query } from '../state/api.ts'
import { useAct } from '../state/use-act.ts'
import styles from './views.module.css'

/** The name under which the views of a page are stored. */
const pageOf = (pathname: string) => pathname.replaceAll(/[^a-z]+/g, '_').replaceAll(/^_|_$/g, '')

interface SavedViewsProps {
  /** Views that every member has; they are not removed. */
  shipped?: readonly { name: string; query: string }[]
}

/**
 * The lists that every member has, and those that the member has saved on this page: filters, order and search,
 * as the address has them.
 */
export function SavedViews({ shipped = [] }: SavedViewsProps) {
  const { t } = useTranslation('desk')
  const { pathname } = useLocation()
  const page = pageOf(pathname)
  const views = useToldRead(query('my_views', { page }))
  const remove = useAct('remove_view')
  const [search] = useSearchParams()
  const [isSaving, setSaving] = useState(false)
  const current = search.toString()
  return (
    <>
      <Menu label={t('views.title')} icon={<Bookmark size={16} aria-hidden="true" />} framed>
        {views.data?.length === 0 && shipped.length === 0 && <p className={styles.none}>{t('views.none')}</p>}
        <ul>
          {shipped.map((view) => (
            <li key={view.query} className={styles.view}>
              <Link
                to={`${pathname}?${view.query}`}
                aria-current={view.query === current ? 'true' : undefined}
              >
                {view.name}
              </Link>
            </li>
          ))}
          {(views.data ?? []).map((view) => (
            <li key={view.id} className={styles.view}>
              <Link
                to={`${pathname}?${view.query}`}
                aria-current={view.query === current ? 'true' : undefined}
              >
                {view.name}
              </Link>
              <button
                type="button"
                aria-label={t('views.remove', { name: view.name })}
                onClick={() => remove.run({ id: view.id })}
              >
                <X size={14} aria-hidden="true" />
              </button>
            </li>
          ))}
        </ul>
        <button type="button" className={styles.save} onClick={() => setSaving(true)}>
          {t('views.save')}
        </button>
      </Menu>
      {isSaving && <SaveDialog page={page} current={current} onClose={() => setSaving(false)} />}
    </>
  )
}

function SaveDialog(props: { page: string; current: string; onClose: () => void }) {
  const { page, current, onClose } = props
  const { t } = useTranslation('desk')
  const [name, setName] = useState('')
  const { pending, fault, run } = useAct('save_view', onClose)
  return (
    <ActDialog
      title={t('views.save')}
      description={t('views.text')}
      submit={t('views.submit')}
      reason="none"
      pending={pending}
      fault={fault}
      ready={name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => run({ page, name: name.trim(), query: current })}
    >
      <TextField
        label={t('views.name')}
        value={name}
        maxLength={60}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
      />
    </ActDialog>
  )
}
