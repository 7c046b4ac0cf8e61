import { deskCall } from '../call.ts'

/** Lists with their filters that members save. */
export const viewsDeskWire = {
  my_views: deskCall({
    method: 'GET',
    path: '/my_views',
    answer: 'json',
    needs: 'member',
    stepUp: 'never',
    effect: 'reads',
    audit: null,
    masked: [],
    file: false,
    body: null,
  }),
  save_view: deskCall({
    method: 'POST',
    path: '/save_view',
    answer: 'json',
    needs: 'member',
    stepUp: 'never',
    effect: 'changes',
    audit: 'view',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
  }),
  remove_view: deskCall({
    method: 'POST',
    path: '/remove_view',
    answer: 'json',
    needs: 'member',
    stepUp: 'never',
    effect: 'changes',
    audit: 'view',
    masked: [],
    file: false,
    body: { type: 'json', mostKib: 64 },
  }),
}
