import { useMutation } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import type { DeskOutput } from '#contract/desk/contract'
import type { Theme } from '#contract/colours'
import { useTranslation } from '../../../state/i18n.ts'
import { Button } from '../../../ui/button.tsx'
import { LogoMark } from '../../../ui/graphics/logo.tsx'
import { call } from '../../state/api.ts'
import { bytesOf } from './banner-dialog.tsx'
import { BrandImage } from './brand-image.tsx'
import styles from './brand.module.css'
import type { Editor } from './editor.tsx'
import { valueAt, withValueAt } from './paths.ts'

type Picture = DeskOutput<'upload_picture'>

interface PictureFieldProps {
  editor: Editor
  slot: 'logo' | 'logo_dark' | 'icon'
  /** The theme whose background the picture is shown on. */
  theme: Theme
}

/**
 * One picture of the brand: it is checked and stored when it is chosen, and public when the brand is
 * published.
 */
export function PictureField({ editor, slot, theme }: PictureFieldProps) {
  const { t } = useTranslation('deskShop')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const picture = valueAt(editor.value, [slot]) as Picture | null
  const set = (next: Picture | null) => editor.set(withValueAt(editor.value, [slot], next))
  const upload = useMutation({
    mutationFn: async (file: File) => call('upload_picture', { picture: await bytesOf(file) }),
    onSuccess: set,
  })
  const fault = upload.error?.message ?? (editor.fault?.field === slot ? editor.fault.text : undefined)
  return (
    <div className={styles.picture} role="group" aria-labelledby={id}>
      <span id={id} className={styles.pictureName}>
        {t(`brand.slot.${slot}`)}
      </span>
      <div className={styles.ground} data-theme={theme}>
        {picture === null ? (
          <span className={styles.none}>
            {slot === 'logo_dark' ? t('brand.asLight') : <LogoMark size={40} />}
          </span>
        ) : (
          <BrandImage picture={picture} alt={t(`brand.slot.${slot}`)} height={slot === 'icon' ? 40 : 44} />
        )}
      </div>
      {fault !== undefined && (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      {!editor.readOnly && (
        <span className={styles.pictureActs}>
          <input
            ref={input}
            className="sr-only"
            type="file"
            aria-label={t('brand.choose', { name: t(`brand.slot.${slot}`) })}
            tabIndex={-1}
            accept="image/svg+xml,image/png,image/webp"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) upload.mutate(file)
              // The same file can be chosen again after it was corrected.
              target.value = ''
            }}
          />
          <Button size="small" pending={upload.isPending} onClick={() => input.current?.click()}>
            {t(picture === null ? 'brand.upload' : 'brand.replace')}
          </Button>
          {picture !== null && (
            <Button size="small" variant="ghost" onClick={() => set(null)}>
              {t('shop.remove')}
            </Button>
          )}
        </span>
      )}
    </div>
  )
}
