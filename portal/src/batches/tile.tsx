import { Badge } from '../components/badge.tsx';
import { Icon } from '../components/icon.tsx';
import { ownPath } from '../playground/run.ts';
import { FilePicture } from './file-picture.tsx';
import { type ShownPhoto, standings } from './shown-photo.ts';

const Picture = ({ shown: { photo, file, standing } }: { shown: ShownPhoto }) => {
  if (photo?.preview_url)
    return <img class="result" src={ownPath(photo.preview_url)} alt="" loading="lazy" width={256} height={256} />;
  if (file) return <FilePicture file={file} faded={standing !== 'failed'} />;
  return <Icon name="image" size={24} />;
};

/** One photo: what it is now, and the word on it. */
export const Tile = ({ shown, onOpen }: { shown: ShownPhoto; onOpen: () => void }) => {
  const { name, tone, icon } = standings[shown.standing];
  const isMoving = shown.standing === 'sending' || shown.standing === 'running';
  return (
    <li class="tile" data-standing={shown.standing}>
      <button type="button" onClick={onOpen}>
        <span class={`tile-picture ${isMoving ? 'moving' : ''}`}>
          <Picture shown={shown} />
        </span>
        <span class="tile-foot">
          <span class="tile-name clip" title={shown.name}>
            {shown.name}
          </span>
          <Badge tone={tone}>
            {icon && <Icon name={icon} size={11} />}
            {name}
          </Badge>
        </span>
        {shown.standing === 'failed' && shown.why && <span class="tile-why small bad-text">{shown.why}</span>}
      </button>
    </li>
  );
};
