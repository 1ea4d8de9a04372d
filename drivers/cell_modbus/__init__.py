"""The sorting-cell controller profile over Modbus: driver (`entry`), simulator, counting proxy and bench rig.

Empty on purpose: simulator and proxy are processes of their own and must start without the vendor library.
"""
