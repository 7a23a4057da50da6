# SPDX-License-Identifier: MIT
"""What tools/describe.py makes of the tables of options is what is committed."""
import os
import subprocess
import sys

SOURCE, BUILD = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]

described = subprocess.run([os.path.join(BUILD, "roundoff"), "--describe"], capture_output=True,
                           check=True).stdout
done = subprocess.run([sys.executable, os.path.join(SOURCE, "tools/describe.py"), "--check"],
                      input=described, capture_output=True)
sys.stderr.buffer.write(done.stderr)
if done.stdout:
    print("out of date; run: roundoff --describe | python3 tools/describe.py")
    sys.stdout.flush()
    sys.stdout.buffer.write(done.stdout)
sys.exit(done.returncode)
