# SPDX-License-Identifier: MIT
"""What tools/describe.py makes of the tables of options is what is committed, and there are not
more options than MOST_ROWS. A new one needs a better reason than a larger number here."""
import os
import subprocess
import sys

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]

MOST_ROWS = 188

described = subprocess.run([os.path.join(BUILD, "roundoff"), "--describe"], capture_output=True,
                           check=True).stdout
done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools/describe.py"), "--check"],
                      input=described, capture_output=True)
sys.stderr.buffer.write(done.stderr)
if done.stdout:
    print("out of date; run: roundoff --describe | python3 tools/describe.py")
    sys.stdout.flush()
    sys.stdout.buffer.write(done.stdout)
counted = subprocess.run([sys.executable, os.path.join(SOURCE, "tools/describe.py"), "--count"],
                         input=described, capture_output=True, check=True).stdout
rows = int(counted.split()[0])
if rows > MOST_ROWS:
    sys.exit(f"{rows} options; at most {MOST_ROWS} are allowed, and rows that several commands have "
             "count once if they are shared (src/options/shared_rows.h)")
sys.exit(done.returncode)
