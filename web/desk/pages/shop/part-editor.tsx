import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Fault } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { UnsavedDialog } from '../../parts/unsaved-dialog.tsx'
import { call, refreshAll } from '../../state/api.ts'
import { useMay } from '../../state/session.ts'
import { type Editor, faultOf } from './editor.tsx'
import { PartFields } from './part-fields.tsx'
import type { Part, ShopContent } from './content.parts.ts'
import { Preview } from './preview.tsx'
import styles from './shop.module.css'

type Act = 'save' | 'publish' | 'discard' | 'undo'

/** The fields of a part, the draft and the public text, and a preview as customers see it. */
export function PartEditor({ part, content }: { part: Part; content: ShopContent }) {
  const { t } = useTranslation('deskShop')
  const mayChange = useMay()('publish_content')
  const published = content.parts[part]
  const draft = content.drafts[part]
  /** Typed text that is not stored yet; null: none. */
  const [typed, setTyped] = useState<unknown>(null)
  /** The version before the one just published, and that one; null: nothing to undo. */
  const [undoable, setUndoable] = useState<{ before: string; seen: string } | null>(null)
  const seen = content.versions.find((each) => each.part === part)?.id ?? null
  const value = typed ?? draft?.value ?? published
  const act = useMutation({
    mutationFn: async (what: Act) => {
      if (what === 'discard') await call('discard_draft', { part })
      if (what === 'undo' && undoable !== null)
        await call('restore_content', { id: undoable.before, seen: undoable.seen })
      if (what === 'discard' || what === 'undo') return null
      if (typed !== null) await call('save_draft', { part, value: typed as Record<string, unknown> })
      return what === 'publish' ? (await call('publish_content', { part, seen })).id : null
    },
    onSuccess: async (made, what) => {
      if (what === 'publish' && made !== null)
        setUndoable({ before: await versionBefore(part, made), seen: made })
      else if (what !== 'save') setUndoable(null)
      await refreshAll()
      setTyped(null)
    },
  })
  const fault = faultOf(act.error, part)
  const editor: Editor = { value, set: setTyped, readOnly: !mayChange, fault }
  const isPending = (what: Act) => act.isPending && act.variables === what
  return (
    <div className={styles.editor}>
      <UnsavedDialog isUnsaved={typed !== null && !act.isPending} />
      <div className={styles.bar}>
        <div className={styles.state} role="status">
          {typed !== null ? (
            <Badge tone="warning">{t('shop.unsaved')}</Badge>
          ) : draft === undefined ? (
            <Badge tone="good">{t('shop.published')}</Badge>
          ) : (
            <>
              <Badge tone="warning">{t('shop.draft')}</Badge>
              <span className={styles.quiet}>
                <Moment iso={draft.at} recent />
                <span>{`, ${draft.by}`}</span>
              </span>
            </>
          )}
        </div>
        {mayChange && (
          <div className={styles.acts}>
            {undoable !== null && typed === null && draft === undefined && (
              <Button pending={isPending('undo')} onClick={() => act.mutate('undo')}>
                {t('shop.undo')}
              </Button>
            )}
            {typed !== null && <Button onClick={() => setTyped(null)}>{t('shop.forget')}</Button>}
            {typed === null && draft !== undefined && (
              <Button pending={isPending('discard')} onClick={() => act.mutate('discard')}>
                {t('shop.discard')}
              </Button>
            )}
            <Button disabled={typed === null} pending={isPending('save')} onClick={() => act.mutate('save')}>
              {t('shop.save')}
            </Button>
            <Button
              variant="primary"
              disabled={typed === null && draft === undefined}
              pending={isPending('publish')}
              onClick={() => act.mutate('publish')}
            >
              {t('shop.publish')}
            </Button>
          </div>
        )}
      </div>
      {fault !== null && <Fault text={fault.text} />}
      <div className={styles.columns}>
        <div className={styles.fields}>
          <PartFields part={part} editor={editor} />
        </div>
        <Preview part={part} value={value} />
      </div>
    </div>
  )
}

/**
 * The version before this one. There always is one: the first version of a part is the program's own text.
 */
async function versionBefore(part: Part, id: string): Promise<string> {
  const { rows } = await call('content_versions', { part, after: id, limit: 1 })
  const [before] = rows
  if (before === undefined) throw new Error(`there is no version before ${id}`)
  return before.id
}
