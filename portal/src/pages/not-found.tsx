import { PageHead } from '../components/page-head.tsx';

const NotFound = () => (
  <>
    <PageHead title="Page not found" lead="Nothing is at this address." />
    <a class="button primary" href="/">
      Go to the start page
    </a>
  </>
);
export default NotFound;
